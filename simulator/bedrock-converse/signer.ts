import { Signer } from "../signer.ts"

/** Signs what models behind Bedrock think, and knows its own signatures again. */
export const SIGNER = new Signer("bedrock")
