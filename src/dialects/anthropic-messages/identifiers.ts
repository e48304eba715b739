export const DIALECT = "anthropic-messages"

/** Of an answer: messages are told by it. */
export const ID_PREFIX = "msg_"
