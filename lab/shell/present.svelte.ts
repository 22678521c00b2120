/** Present mode: for a class, seen from the last row. Navigation and side column go, letters and pictures grow. */
class Present {
  isOn = $state(false);

  toggle(): void {
    this.set(!this.isOn);
  }

  set(isOn: boolean): void {
    this.isOn = isOn;
    document.documentElement.classList.toggle("presenting", isOn);
    // The whole screen too, where the browser lets pages have it; the mode does not depend on it.
    if (isOn) document.documentElement.requestFullscreen?.().catch(() => {});
    else if (document.fullscreenElement !== null) document.exitFullscreen().catch(() => {});
  }
}

export const present = new Present();
