export const DIALECT = "anthropic-messages"

/** The prefix of message ids. */
export const ID_PREFIX = "msg_"
