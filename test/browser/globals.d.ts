/** The globals that everything above the line may use: what a browser's worker and Node both have. */
declare const performance: { readonly timeOrigin: number; now(): number };
declare function structuredClone<T>(value: T): T;
declare function setTimeout(callback: (nothing: undefined) => void, after?: number): unknown;

declare class AbortSignal {
  static timeout(milliseconds: number): AbortSignal;
  readonly aborted: boolean;
}

declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, into: Uint8Array): { read: number; written: number };
}

declare class TextDecoder {
  constructor(label?: string, options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean });
  decode(bytes: Uint8Array): string;
}

declare function atob(text: string): string;

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
  }
  class Instance {
    constructor(module: Module);
    readonly exports: object;
  }
}
