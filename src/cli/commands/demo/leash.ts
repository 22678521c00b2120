/** Loaded first in every process of the demo. When the demo has ended, in whatever way, the process ends too. */
process.on("disconnect", () => process.exit(0));
// The channel alone does not keep a process running.
process.channel?.unref();
