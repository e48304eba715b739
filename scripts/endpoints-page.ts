/**
 * Writes docs/reference/vendors.md from the tables of the vendors. The page lists the endpoints that reach each vendor.
 * `npm run pages` writes the file; a test compares it with the expected text.
 */
import { join } from "node:path"
import {
  isOperationKind,
  MODEL_KIND_NAMES,
  MODEL_KINDS,
  type OperationKind,
} from "#contract/model-kinds.ts"
import type { ImageFormat, ImageTask } from "../src/canon/image.ts"
import type { Vendor } from "../src/vendors/vendor.ts"
import { vendors } from "../src/vendors/index.ts"
import { reflow } from "./reflow.ts"

export const ENDPOINTS_PAGE = join(import.meta.dir, "../docs/reference/vendors.md")

const OPERATIONS = MODEL_KIND_NAMES.filter(isOperationKind)

const HEAD = `# Providers by endpoint

<!-- Written by scripts/endpoints-page.ts from the vendors' tables in the code. Do not edit. -->

- **Chat**: all chat endpoints reach every provider with an entry under *chat*. If the caller's format is listed there, the request is sent in that format. Otherwise it is translated ([losses](losses.md)). Formats in parentheses are used only if a
  provider's \`dialects\` contain them.
- **Embeddings**: \`/v1/embeddings\`, and \`:embedContent\` and \`:batchEmbedContents\` of the Gemini API.
- **Rerank**: \`/v1/rerank\` and \`/v2/rerank\`. Embedding models can rerank too, which is reported as emulated.
- **Transcription**: \`/v1/audio/translations\` reaches these providers too. If the model only transcribes, a chat model translates the transcript.
- **Images**: *edited*: the mask is redrawn if the provider's masks are black and white. A model without masks gets the mask as another image (\`mask:approximated\`). If the model accepts only one image, a request with a mask is rejected. *Varied* is emulated by an
  edit with a fixed prompt if the provider has no variations. *Streamed* returns drafts if the provider makes them, otherwise
  the whole image as one event. Stability's edits are a separate service, used by models whose upstream name contains
  \`inpaint\`.

The model list shows the capabilities of each model.
`

/** Returns the text of the page. */
export function endpointsPage(): string {
  const head = ["provider", "chat", ...OPERATIONS.map((kind) => MODEL_KINDS[kind].operation)]
  const rows = [...vendors.values()]
    .toSorted((left, right) => (left.id < right.id ? -1 : 1))
    .map((vendor) => [
      `${vendor.name} (\`${vendor.id}\`)`,
      dialectsOf(vendor),
      ...OPERATIONS.map((kind) => cellOf(vendor, kind)),
    ])
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`)
  return reflow(`${HEAD}\n${lines.join("\n")}\n`)
}

function cellOf({ operations }: Vendor, kind: OperationKind): string {
  const format = operations?.[kind]
  if (!format) return ""
  return kind === "image" && operations?.image ? imagesOf(operations.image) : "yes"
}

const TASK_WORDS: Readonly<Record<ImageTask, string>> = {
  generation: "generated",
  edit: "edited",
  variation: "varied",
}

function imagesOf({ tasks, streams }: ImageFormat): string {
  return [...tasks.map((task) => TASK_WORDS[task]), ...(streams ? ["streamed"] : [])].join(", ")
}

function dialectsOf({ chat, optionalDialects = [] }: Vendor): string {
  return chat
    .map(({ dialect: { id } }) => (optionalDialects.includes(id) ? `(${id})` : id))
    .join(", ")
}

if (import.meta.main) await Bun.write(ENDPOINTS_PAGE, endpointsPage())
