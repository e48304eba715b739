/**
 * Finds broken links in the pages of the repository and in code comments. Also finds names of files in pages that do
 * not exist.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { pages, proseOf } from "./pages.ts"
import { slugOf } from "./slug.ts"

const SOURCES = [
  "src",
  "test",
  "simulator",
  "price-data",
  "bench",
  "scripts",
  "console/src",
  "contract",
]
const LINK = /\]\(([^()\s]+(?:\([^()\s]*\))?)\)/g
/** Matches a page that a comment names: a page of `docs` or of the root, with or without an anchor. */
const REFERENCE =
  /(?<![\w./-])(?:docs\/[\w./-]*\w\.md|(?:ARCHITECTURE|STYLE|SECURITY|CONTRIBUTING)\.md)(?:#[\w-]+)?/g
/** Matches a file or folder that the prose of a page names. */
const PATH =
  /`((?:(?:src|test|scripts|simulator|price-data|console|bench|docs|contract|bin)\/[\w./-]*\w)|(?:[\w.-]+\/)+[\w.-]+\.tsx?)`/g
/**
 * Matches names of documents outside the repository, which readers do not have. The pattern is written so that it does
 * not match itself.
 */
const ABSENT = /\b(?:W[I]RE|S[P]EC|D[E]SIGN)(?:\.md)?\b/
const DECISION = /\bdecision (\d+)\b/gi
/** Pages that may name files of other projects, or files that existed when the page was written. */
const OTHER_FILES = /^(?:docs\/contribute\/(?:decisions|wire)\/|CHANGELOG\.md)/
const ELSEWHERE = /^(?:[a-z][a-z+.-]*:|\/\/)/i

/** Returns every fault, one readable line each. */
export function checkLinks(root = "."): string[] {
  const target = new Tree(root)
  return [
    ...pages(root).flatMap((path) => checkPage(path, target)),
    ...sources(root).flatMap((path) => checkSource(path, target)),
  ]
}

/** The possible targets of links. */
class Tree {
  readonly root: string
  readonly #anchors = new Map<string, ReadonlySet<string>>()
  #decisions: readonly string[] | undefined

  constructor(root: string) {
    this.root = root
  }

  /**
   * Returns the problem with a link; undefined if its target exists.
   * @param page the page that contains the link, relative to the root; empty if the link is relative to the root.
   */
  faultOf(link: string, page = ""): string | undefined {
    const [file = "", anchor] = decodeURI(link).split("#")
    const path = file === "" ? page : normalize(join(dirname(page), file))
    if (path.startsWith("..")) return `leads out of the repository: ${link}`
    if (!existsSync(join(this.root, path))) return `leads nowhere: ${link}`
    if (anchor === undefined || !path.endsWith(".md")) return undefined
    return this.#anchorsOf(path).has(anchor) ? undefined : `has no such anchor: ${link}`
  }

  /** Whether a named file exists, relative to the root, to `src` or to the page. */
  has(named: string, page: string): boolean {
    return ["", "src", dirname(page)].some((folder) => existsSync(join(this.root, folder, named)))
  }

  hasDecision(number: string): boolean {
    this.#decisions ??= readdirSync(join(this.root, "docs/contribute/decisions"))
    return this.#decisions.some((name) => name.startsWith(`${number.padStart(4, "0")}-`))
  }

  #anchorsOf(path: string): ReadonlySet<string> {
    const known = this.#anchors.get(path)
    if (known !== undefined) return known
    const anchors = anchorsIn(readFileSync(join(this.root, path), "utf8"))
    this.#anchors.set(path, anchors)
    return anchors
  }
}

function sources(root: string): string[] {
  return SOURCES.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    [...new Bun.Glob("**/*.{ts,tsx}").scanSync(join(root, folder))]
      .map((path) => join(folder, path))
      .filter((path) => !path.includes("node_modules"))
      .toSorted(),
  )
}

function checkPage(path: string, target: Tree): string[] {
  const faults: string[] = []
  for (const { text, number } of proseOf(readFileSync(join(target.root, path), "utf8"))) {
    for (const [, named = ""] of OTHER_FILES.test(path) ? [] : text.matchAll(PATH)) {
      if (!target.has(named, path)) faults.push(`${path}:${number} is gone: ${named}`)
    }
    if (ABSENT.test(text)) faults.push(`${path}:${number} refers to a document that is not here`)
    for (const [, link = ""] of text.replaceAll(/`[^`]*`/g, "``").matchAll(LINK)) {
      const fault = ELSEWHERE.test(link) ? undefined : target.faultOf(link, path)
      if (fault !== undefined) faults.push(`${path}:${number} ${fault}`)
    }
  }
  return faults
}

function checkSource(path: string, target: Tree): string[] {
  const faults: string[] = []
  const text = readFileSync(join(target.root, path), "utf8")
  for (const [index, line] of text.split("\n").entries()) {
    const place = `${path}:${index + 1}`
    if (ABSENT.test(line)) faults.push(`${place} refers to a document that is not here`)
    for (const [reference] of line.matchAll(REFERENCE)) {
      const fault = target.faultOf(reference)
      if (fault !== undefined) faults.push(`${place} ${fault}`)
    }
    for (const [reference, number = ""] of line.matchAll(DECISION)) {
      if (!target.hasDecision(number)) faults.push(`${place} there is no ${reference}`)
    }
  }
  return faults
}

/** Returns explicit anchors and the anchors of headings. */
export function anchorsIn(page: string): ReadonlySet<string> {
  const written = [...page.matchAll(/<a id="([\w-]+)">/g)].map(([, id = ""]) => id)
  const headings = [...page.matchAll(/^#{1,6} +(.+)$/gm)].map(([, title = ""]) => slugOf(title))
  return new Set([...written, ...headings])
}
