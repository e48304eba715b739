import type { OperationKind } from "#contract/model-kinds.ts"
import type { ImageStore } from "../../media/image-store.ts"
import type { MediaInspector } from "../../media/media-inspector.ts"
import { Embeddings, type EmbeddingServices } from "./embedding/embeddings.ts"
import { Images } from "./image/images.ts"
import { Moderations } from "./moderation/moderations.ts"
import { Reranking } from "./rerank/rerank.ts"
import { Speech } from "./speech/speech.ts"
import { Transcriptions } from "./transcription/transcription.ts"

export interface PerformerServices extends EmbeddingServices {
  readonly imageStore: ImageStore
  readonly inspector: MediaInspector
}

/** Builds the performer of each operation. The keys are the kinds of the operations' models. */
export function performersOf(services: PerformerServices) {
  const { operations, imageStore, inspector } = services
  return {
    embedding: new Embeddings(services),
    rerank: new Reranking(services),
    image: new Images(operations, imageStore, inspector),
    speech: new Speech(operations),
    transcription: new Transcriptions(services),
    moderation: new Moderations(services),
  } as const satisfies Readonly<Record<OperationKind, unknown>>
}

/** The performers of all operations, by the kind of the operations' models. */
export type Performers = ReturnType<typeof performersOf>
