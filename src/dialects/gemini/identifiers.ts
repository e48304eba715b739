/** What this dialect calls itself. */
export const DIALECT = "gemini"

/** How an id begins that is made here. */
export const ID_PREFIX = "resp_"
