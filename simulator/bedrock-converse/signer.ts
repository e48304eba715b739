import { Signer } from "../signer.ts"

/** Signs the thinking of models behind Bedrock, and verifies its own signatures. */
export const SIGNER = new Signer("bedrock")
