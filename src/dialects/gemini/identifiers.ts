export const DIALECT = "gemini"

/** The prefix of ids that the gateway creates. */
export const ID_PREFIX = "resp_"
