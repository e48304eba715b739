import { deflateSync } from "node:zlib"

/** The contents of a PDF that a test needs. */
export interface PdfInput {
  readonly pages: number
  /** The text of each page. */
  readonly text: string
  /** Whether all pages share one stream of text. */
  readonly isShared?: boolean
  /** A comment that precedes all other parts. */
  readonly comment?: string
  /** The number of pages that the page tree states. */
  readonly count?: number
  /** Whether the objects are compressed in an object stream. */
  readonly isPacked?: boolean
  /** Text that is added to the trailer. */
  readonly trailer?: string
}

/** Creates a PDF with text in one font. */
export function makePdf(input: PdfInput): Buffer {
  const { pages, text, isShared = true, comment = "", count = pages, trailer = "" } = input
  const objects = new Map<number, string>()
  const streams: Buffer[] = []
  const first = 10
  const contentOf = (page: number): number => first + pages + (isShared ? 0 : page)
  const kids = Array.from({ length: pages }, (_, page) => `${first + page} 0 R`)
  objects.set(1, "<< /Type /Catalog /Pages 2 0 R >>")
  objects.set(2, `<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${count} >>`)
  objects.set(3, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
  for (let page = 0; page < pages; page++) {
    const resources = "/Resources << /Font << /F1 3 0 R >> >>"
    objects.set(
      first + page,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${resources} /Contents ${contentOf(page)} 0 R >>`,
    )
  }
  for (let index = 0; index < (isShared ? 1 : pages); index++) {
    streams.push(stream(contentOf(index), `BT /F1 9 Tf 50 700 Td (${text}) Tj ET`))
  }
  const body = input.isPacked === true ? packed(objects) : plain(objects)
  const end = Buffer.from(`trailer << /Root 1 0 R ${trailer} >>\n%%EOF\n`)
  return Buffer.concat([Buffer.from(`%PDF-1.5\n${comment}\n`), body, ...streams, end])
}

function stream(number: number, content: string, members = ""): Buffer {
  const data = deflateSync(Buffer.from(content, "latin1"))
  const head = `${number} 0 obj << /Filter /FlateDecode /Length ${data.length} ${members} >> stream\n`
  return Buffer.concat([Buffer.from(head), data, Buffer.from("\nendstream endobj\n")])
}

function plain(objects: ReadonlyMap<number, string>): Buffer {
  const texts = [...objects].map(([number, text]) => `${number} 0 obj ${text} endobj\n`)
  return Buffer.from(texts.join(""))
}

/** Returns the objects in an object stream. */
function packed(objects: ReadonlyMap<number, string>): Buffer {
  let offset = 0
  const head: string[] = []
  for (const [number, text] of objects) {
    head.push(`${number} ${offset}`)
    offset += text.length + 1
  }
  const numbers = `${head.join(" ")}\n`
  const content = `${numbers}${[...objects.values()].join("\n")}\n`
  const members = `/Type /ObjStm /N ${objects.size} /First ${numbers.length}`
  return stream(9, content, members)
}
