/**
 * Bounds for the input tokens of media in a request, which a hold must cover. They depend on size or duration, never on
 * the length of the base64.
 */
export { audioTokenBound } from "./audio-tokens.ts"
export { fileTokenBound } from "./file-tokens.ts"
export { imageTokenBound, imageTokenEstimate } from "./image-tokens.ts"
export { linkedTokenBound } from "./linked-tokens.ts"
