export const DIALECT = "cohere-chat"
