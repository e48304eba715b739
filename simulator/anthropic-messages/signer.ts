import { Signer } from "../signer.ts"

/** Signs what Anthropic's models think, and knows its own signatures again. */
export const SIGNER = new Signer("anthropic")
