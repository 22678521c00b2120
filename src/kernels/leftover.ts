/**
 * A large array that one trial leaves to the next, so that a machine does not hold those of several trials until its garbage is collected. Held weakly: it
 * goes as soon as nobody runs trials any more.
 */
export class Leftover<A extends Int32Array | Uint16Array | Uint8Array> {
  private readonly make: (length: number) => A;
  private left: WeakRef<A> | null = null;

  constructor(make: (length: number) => A) {
    this.make = make;
  }

  /** Of that length, with anything in it. Nobody else gets it before it is left here again. */
  take(length: number): A {
    const array = this.left?.deref();
    this.left = null;
    return array?.length === length ? array : this.make(length);
  }

  leave(array: A): void {
    if (array.length > 0) this.left = new WeakRef(array);
  }
}
