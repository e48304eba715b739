import { describe, expect, test } from "bun:test"
import {
  CHAT_SUBJECTS,
  checkDialectFiles,
  OPERATION_SUBJECTS,
} from "../../scripts/dialect-files.ts"

/** Returns the files of a folder that has a file for each required subject. */
function whole(folder: string, subjects: Readonly<Record<string, string>>): string[] {
  return Object.keys(subjects)
    .filter((subject) => subjects[subject] === "required")
    .map((subject) => `dialects/${folder}/${subject}.ts`)
}

const chat = whole("new-chat", CHAT_SUBJECTS)
const operation = whole("rerank", OPERATION_SUBJECTS)

describe("the check of the files of a dialect", () => {
  test("accepts a folder with all required files", () => {
    expect(checkDialectFiles([...chat, ...operation])).toEqual([])
  })

  test("accepts a folder in place of the file of a subject, with files of any name", () => {
    const paths = chat.filter((path) => !path.endsWith("/stream.ts"))
    const folder = ["dialects/new-chat/stream/decode.ts", "dialects/new-chat/stream/open-calls.ts"]
    expect(checkDialectFiles([...paths, ...folder])).toEqual([])
  })

  test("ignores the names of shared files and of other folders", () => {
    const others = ["dialects/shared/anything.ts", "canon/anything.ts"]
    expect(checkDialectFiles([...chat, ...others])).toEqual([])
  })

  test("reports an unknown subject", () => {
    const faults = checkDialectFiles([...chat, "dialects/new-chat/decode-events.ts"])
    expect(faults).toHaveLength(1)
    expect(faults[0]).toStartWith("dialects/new-chat/decode-events.ts: 'decode-events' is none of")
  })

  test("accepts the subjects of an operation and rejects those of a chat dialect", () => {
    const faults = checkDialectFiles([...operation, "dialects/rerank/tools.ts"])
    expect(faults).toEqual([
      "dialects/rerank/tools.ts: 'tools' is none of request, result, stream, errors, formats",
    ])
  })

  test("reports a missing subject", () => {
    const paths = chat.filter((path) => !path.endsWith("/usage.ts"))
    expect(checkDialectFiles(paths)).toEqual(["dialects/new-chat: has no 'usage'"])
  })

  test("reports a subject that is both a file and a folder, and a subject with subfolders", () => {
    expect(checkDialectFiles([...chat, "dialects/new-chat/tools/decode.ts"])).toEqual([
      "dialects/new-chat/tools: is a file and a folder",
    ])
    expect(checkDialectFiles([...chat, "dialects/new-chat/cache/marks/read.ts"])).toEqual([
      "dialects/new-chat/cache/marks/read.ts: is too deep",
    ])
  })

  test("requires ARCHITECTURE.md to describe each subject and mark the required ones", async () => {
    const page = await Bun.file(new URL("../../ARCHITECTURE.md", import.meta.url)).text()
    const rows = page.slice(page.indexOf("| subject |"))
    const table = rows.slice(0, rows.indexOf("\n\n"))
    for (const [subject, presence] of Object.entries(CHAT_SUBJECTS)) {
      const mark = presence === "required" ? " \\+" : "(?! \\+)"
      expect(table).toMatch(new RegExp(`\`${subject}\`${mark}`))
    }
    for (const subject of Object.keys(OPERATION_SUBJECTS)) expect(rows).toContain(`\`${subject}\``)
  })
})
