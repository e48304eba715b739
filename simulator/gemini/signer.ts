import { Signer } from "../signer.ts"

/** Signs calls and texts, as Gemini does so that a later turn can prove its thoughts (docs/contribute/wire/gemini.md#f5). */
export const SIGNER = new Signer("gemini")
