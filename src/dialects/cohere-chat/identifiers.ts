/** The dialect's name. */
export const DIALECT = "cohere-chat"
