/** The account created at the first start, so that a key can be created for it. */
export const FIRST_ACCOUNT = "demo"
