/** The variable that samples take the key from: a key does not belong in code. */
export const KEY_VARIABLE = "TOLLGATE_API_KEY"
