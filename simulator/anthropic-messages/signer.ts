import { Signer } from "../signer.ts"

/** Signs the thinking of Anthropic's models, and verifies its own signatures. */
export const SIGNER = new Signer("anthropic")
