/**
 * The most input tokens that the media of a request can cost, by their size or length and never by their
 * base64: what a hold has to cover.
 */
export { audioTokenBound } from "./audio-tokens.ts"
export { fileTokenBound } from "./file-tokens.ts"
export { imageTokenBound, imageTokenEstimate } from "./image-tokens.ts"
export { linkedTokenBound } from "./linked-tokens.ts"
