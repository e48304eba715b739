import { Signer } from "../signer.ts"

/** Signs the thinking of models behind Bedrock, and verifies these signatures. */
export const SIGNER = new Signer("bedrock")
