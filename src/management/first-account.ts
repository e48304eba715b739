/** The account that the first start creates, so that there is something to call with. */
export const FIRST_ACCOUNT = "demo"
