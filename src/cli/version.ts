/** The version in `package.json`, which is not part of the executable; a test keeps them equal. */
export const VERSION = "0.1.0"
