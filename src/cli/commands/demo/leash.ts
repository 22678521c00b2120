/** Loaded into every process of the demo before anything else: where the demo has gone, however that happened, it goes too. */
process.on("disconnect", () => process.exit(0));
// A process that has nothing more to do may end, though the demo is still there.
process.channel?.unref();
