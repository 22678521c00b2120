/** The package's own version, written by `npm run build` from package.json. */
export const version = "0.1.0";
