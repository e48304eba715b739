import { Signer } from "../signer.ts"

/** Signs the thinking of Anthropic's models, and verifies these signatures. */
export const SIGNER = new Signer("anthropic")
