import { EMBEDDINGS } from "./embeddings.ts"
import { IMAGE_EDITS, IMAGE_GENERATIONS, IMAGE_VARIATIONS } from "./images.ts"
import { CHAT_MODERATIONS, MODERATIONS } from "./moderations.ts"
import type { OperationEndpoint } from "./operation-endpoint.ts"
import { COHERE_RERANK, RERANK } from "./rerank.ts"
import { SPEECH } from "./speech.ts"
import { TRANSCRIPTIONS, TRANSLATIONS } from "./transcriptions.ts"

/** The endpoints of all operations other than chat. Each endpoint supports idempotency keys and estimates. */
export const OPERATION_ENDPOINTS: readonly OperationEndpoint[] = [
  EMBEDDINGS,
  RERANK,
  COHERE_RERANK,
  IMAGE_GENERATIONS,
  IMAGE_EDITS,
  IMAGE_VARIATIONS,
  SPEECH,
  TRANSCRIPTIONS,
  TRANSLATIONS,
  MODERATIONS,
  CHAT_MODERATIONS,
]
