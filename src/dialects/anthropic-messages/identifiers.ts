/** What this dialect calls itself. */
export const DIALECT = "anthropic-messages"

/** Of an answer: messages are recognized by it. */
export const ID_PREFIX = "msg_"
