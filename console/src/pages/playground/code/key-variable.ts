/** The environment variable that contains the key in samples, because keys do not belong in code. */
export const KEY_VARIABLE = "TOLLGATE_API_KEY"
