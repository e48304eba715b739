/** What this dialect calls itself. */
export const DIALECT = "cohere-chat"
