/** The environment variable with the key in samples: a key does not belong in code. */
export const KEY_VARIABLE = "TOLLGATE_API_KEY"
