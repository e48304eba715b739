import type { Model } from "../catalog/model.ts"
import type { ModelKind } from "../config/settings.ts"
import { vendors } from "../vendors/index.ts"
import type { Operations } from "../vendors/vendor.ts"

/** Chat of any vendor is reached in every dialect. */
const CHAT = ["/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/responses/compact"]

/** The endpoints of each operation. Embedding models also rerank, by emulation. */
const OPERATIONS: Readonly<
  Record<Exclude<ModelKind, "chat">, readonly (readonly [keyof Operations, readonly string[]])[]>
> = {
  embedding: [["embedding", ["/v1/embeddings", "/v1/rerank"]]],
  rerank: [["rerank", ["/v1/rerank"]]],
  image: [["image", ["/v1/images/generations", "/v1/images/edits", "/v1/images/variations"]]],
  speech: [["speech", ["/v1/audio/speech"]]],
  transcription: [["transcription", ["/v1/audio/transcriptions", "/v1/audio/translations"]]],
}

/**
 * The endpoints that a model answers on, according to the vendors' tables: what `docs/endpoints.md` shows per
 * vendor.
 * @param vendorOf the vendor of a provider.
 */
export function endpointsOf(
  model: Model,
  vendorOf: (provider: string) => string | undefined,
): string[] {
  const { kind, deployments } = model
  if (kind === "chat") return [...CHAT]
  const known = deployments.flatMap(({ provider }) => vendors.get(vendorOf(provider) ?? "") ?? [])
  return OPERATIONS[kind].flatMap(([operation, paths]) =>
    known.some(({ operations }) => operations?.[operation] !== undefined) ? [...paths] : [],
  )
}
