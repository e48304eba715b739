import { Signer } from "../signer.ts"

/**
 * Signs calls and texts. As with Gemini, a later turn proves its thoughts with these signatures
 * (docs/contribute/wire/gemini.md#f5).
 */
export const SIGNER = new Signer("gemini")
