import { mask, type Passage } from "./passage.ts"

const COMMENT = /--[^\n]*(?:\n[ \t]*--[^\n]*)*|\/\*[\s\S]*?\*\//g

/** Returns the comments of an SQL file. */
export function readSql(path: string, source: string): Passage[] {
  return commentsOf(source).map(({ text, start }) => ({
    kind: "comment",
    path,
    line: source.slice(0, start).split("\n").length,
    text: mask(text),
  }))
}

/** Returns the comments in SQL text without their delimiters, and their offsets. */
export function commentsOf(sql: string): { text: string; start: number }[] {
  return [...sql.matchAll(COMMENT)].map(({ 0: comment, index }) => ({
    text: comment.replaceAll(/--|\/\*|\*\//g, "  "),
    start: index,
  }))
}
