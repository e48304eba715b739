import type { MediaSource } from "../canon/message.ts"
import { latin1, type Peek, peek } from "./peek.ts"

/**
 * Tokens per page of a PDF: its text, up to 3,000 (Anthropic, "PDF support"), and its image, up to 1,600 there
 * and 1,445 at OpenAI, which both read as well.
 */
const TOKENS_PER_PAGE = 4_600

/** The most pages that any vendor accepts in one request: Gemini's 1,000. */
const MAX_PAGES = 1_000

/** Office files are compressed; their text is at most this many times their size. */
const PACKED_TEXT = 4

/** The most input tokens that a file can cost. A linked file is taken to be the longest. */
export function fileTokenBound(source: MediaSource): number {
  const file = peek(source)
  if (!file) return MAX_PAGES * TOKENS_PER_PAGE
  const start = latin1(file.head.subarray(0, 1_024))
  if (start.includes("%PDF-") || file.mediaType.includes("pdf")) return pdfTokens(file)
  return start.startsWith("PK") ? file.size * PACKED_TEXT : file.size
}

function pdfTokens(file: Peek): number {
  const pages = Math.min(MAX_PAGES, pagesOf(file) ?? MAX_PAGES)
  // A token of text takes a byte; the pages only count for more than the bytes in short files.
  return Math.min(pages * TOKENS_PER_PAGE, Math.max(file.size, TOKENS_PER_PAGE))
}

/**
 * The pages of a PDF: the largest count in its page tree, or the number of visible page objects. Undefined when
 * there is neither, as in files with compressed objects.
 */
function pagesOf(file: Peek): number | undefined {
  const texts = [latin1(file.head), latin1(file.tail())]
  let max = 0
  let seen = 0
  for (const text of texts) {
    for (const match of text.matchAll(/\/Count[ \r\n]{0,4}(\d{1,7})\b/g)) {
      max = Math.max(max, Number(match[1]))
    }
    seen += text.match(/\/Type[ \r\n]{0,4}\/Page\b/g)?.length ?? 0
  }
  if (max > 0) return Math.max(max, seen)
  return file.isWhole && seen > 0 ? seen : undefined
}
