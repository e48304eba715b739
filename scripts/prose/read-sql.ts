import { mask, type Passage } from "./passage.ts"

const COMMENT = /--[^\n]*(?:\n[ \t]*--[^\n]*)*|\/\*[\s\S]*?\*\//g

/** The comments of an SQL file. */
export function readSql(path: string, source: string): Passage[] {
  return commentsOf(source).map(({ text, start }) => ({
    kind: "comment",
    path,
    line: source.slice(0, start).split("\n").length,
    text: mask(text),
  }))
}

/** The comments of SQL, without their marks, and their offsets. */
export function commentsOf(sql: string): { text: string; start: number }[] {
  return [...sql.matchAll(COMMENT)].map(({ 0: comment, index }) => ({
    text: comment.replaceAll(/--|\/\*|\*\//g, "  "),
    start: index,
  }))
}
