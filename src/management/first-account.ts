/** The account that a first start makes, so that there is something to call with. */
export const FIRST_ACCOUNT = "demo"
