/** The dialect's name. */
export const DIALECT = "gemini"

/** The prefix of ids made here. */
export const ID_PREFIX = "resp_"
