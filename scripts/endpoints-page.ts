/**
 * Writes docs/endpoints.md from the vendors' tables: which endpoint reaches which vendor. `npm run pages` writes the
 * file; a test compares it with the expected text.
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

const HEAD = `# Which endpoint reaches which vendor

<!-- Written by scripts/endpoints-page.ts from the vendors' tables in the code. Do not edit. -->

The chat endpoints (\`/v1/chat/completions\`, \`/v1/messages\`, \`/v1/responses\`, \`/v1/responses/compact\`,
\`/v1beta/models/{model}:generateContent\` and \`:streamGenerateContent\`) reach every vendor with an entry under *chat*,
in the dialect named there: the caller's own if it is listed, otherwise through the canon ([losses](losses.md)).
Dialects in parentheses are spoken only if a provider's \`dialects\` say so. \`:embedContent\` and \`:batchEmbedContents\`
reach the vendors of \`/v1/embeddings\`. \`/v1/rerank\` and \`/v2/rerank\` (which returns documents as objects with a
\`text\`) also reach embedding models, emulated. \`/v1/audio/translations\` also reaches models that only transcribe; a
chat model then translates. What a single model can do is in the model list.

Images are *edited* by a mask, which is redrawn for vendors whose masks are black and white. A model without masks gets
it as another image, reported as \`mask:approximated\`; one that accepts a single image rejects it. *Varied* is emulated by an edit with a fixed prompt, or by starting from the
image, if a vendor has nothing of the kind. *Streamed* are drafts and the image as the vendor makes them; elsewhere
\`stream\` returns the whole image as the only event. Stability's models make and vary images; a separate service edits
them, reached by a model whose upstream name contains \`inpaint\`. One model may have both as deployments, each with its
own price: each does what it can.
`

/** Returns the text of the page. */
export function endpointsPage(): string {
  const head = ["vendor", "chat", ...OPERATIONS.map((kind) => MODEL_KINDS[kind].operation)]
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
