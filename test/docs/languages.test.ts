import { describe, expect, test } from "bun:test"
import { catalogFaults, catalogText, completed } from "../../scripts/languages/catalogs.ts"
import { type Message, messagesIn } from "../../scripts/languages/messages.ts"
import { outsideTexts } from "../../scripts/languages/outside.ts"
import { placeholdersOf } from "../../scripts/languages/placeholders.ts"
import { parseSource } from "../../scripts/languages/syntax.ts"

const sourceOf = (text: string) => parseSource("console/src/pages/a.tsx", text)

describe("the check of texts outside of the catalogs", () => {
  test.each([
    "<p>No keys yet</p>",
    '<Button aria-label="Close">×</Button>',
    '<Badge>{isPaused ? "paused" : null}</Badge>',
    '<Facts facts={[{ label: "Name", value: name }]} />',
    'notifyDone("The key was created.")',
    "const text = `${count} requests`",
    '<Select nothingFoundMessage={isEmpty && "Nothing here"} />',
  ])("reports %s", (text) => {
    const found = outsideTexts(sourceOf(text))
    expect(found).toHaveLength(1)
    expect(found[0]).toStartWith("console/src/pages/a.tsx:1: ")
    expect(found[0]).toEndWith("is not in the catalog; use t(…)")
  })

  test.each([
    '<p>{t("No keys yet")}</p>',
    '<p className="panel wide" style={{ color: "dark red" }}>{name}</p>',
    '<Facts facts={[{ label: t("Name"), value: name }]} />',
    'const data = useQuery(oneQuery("GET /keys", {}))',
    'import { a } from "some module"',
    "const width: `${number} wide` = value",
    '<b>{"–"}</b>',
    '<TextInput placeholder="sk-…" />',
  ])("accepts %s", (text) => {
    expect(outsideTexts(sourceOf(text))).toEqual([])
  })
})

describe("the list of messages", () => {
  test("contains the texts of calls that translate, with the names of values and tags", () => {
    const text = `
      t("Create a key")
      t("{count, plural, one {# key} other {# keys}} of {name}", { count, name: key.name })
      rich("Read <link>the guide</link>.", { link: (text) => <a href="/">{text}</a> })`
    expect(messagesIn(sourceOf(text))).toEqual([
      { text: "Create a key", place: "console/src/pages/a.tsx:2", names: undefined },
      {
        text: "{count, plural, one {# key} other {# keys}} of {name}",
        place: "console/src/pages/a.tsx:3",
        names: ["count", "name"],
      },
      {
        text: "Read <link>the guide</link>.",
        place: "console/src/pages/a.tsx:4",
        names: ["link"],
      },
    ])
  })

  test.each([
    ["t(label)", "the message of 't' must be a literal"],
    ["t(`${count} keys`)", "the message of 't' must be a literal"],
    ['t("{count} keys", { total })', "the values differ from the message: count, total"],
    ['t("{count keys", { count })', "the message is not valid: "],
  ])("reports %s", (text, fault) => {
    expect(messagesIn(sourceOf(text))).toEqual([
      expect.stringContaining(`console/src/pages/a.tsx:1: ${fault}`),
    ])
  })
})

describe("the check of a catalog", () => {
  const messages = new Map<string, Message>(
    ["Create a key", "{count, plural, one {# key} other {# keys}} of <b>{name}</b>"].map((text) => [
      text,
      {
        text,
        place: "a.tsx:1",
        names: text.startsWith("{") ? ["b", "count", "name"] : undefined,
      },
    ]),
  )
  const [plain = "", plural = ""] = messages.keys()
  const translated = {
    [plain]: "Schlüssel erstellen",
    [plural]: "<b>{name}</b>: {count, plural, one {# Schlüssel} other {# Schlüssel}}",
  }
  const faultsOf = (changes: Readonly<Record<string, string>>) =>
    catalogFaults("de", { ...translated, ...changes }, messages)

  test("accepts a complete translation", () => {
    expect(faultsOf({})).toEqual([])
  })

  test.each([
    [{ [plain]: "" }, '"Create a key" is not translated'],
    [{ Removed: "Entfernt" }, '"Removed" is not used; `npm run languages` removes it'],
    [{ [plain]: "Schlüssel erstellen " }, "the translation begins or ends with a space"],
    [
      { [plural]: "{count, plural, other {# Schlüssel}} von {Name}" },
      "the translation has other values or tags: b, name, Name",
    ],
    [{ [plural]: "{count, plural, one {# Schlüssel}} {name}" }, "the translation is not valid"],
  ])("reports %p", (changes, fault) => {
    const faults = faultsOf(changes)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toStartWith("console/src/languages/de.json: ")
    expect(faults[0]).toContain(fault)
  })

  test("reports a translation whose message no longer exists", () => {
    expect(catalogFaults("de", { [plural]: translated[plural] ?? "" }, messages)).toEqual([
      'console/src/languages/de.json: "Create a key" is not translated',
    ])
  })
})

test("new messages are added to a catalog in order, and unused messages are removed", () => {
  const catalog = completed({ Keys: "Schlüssel", Unused: "Unbenutzt" }, ["Models", "Keys"])
  expect(catalogText(catalog)).toBe('{\n  "Keys": "Schlüssel",\n  "Models": ""\n}\n')
})

test("the values of a message include values within plurals and tags", () => {
  const message = "{count, plural, =0 {none} one {<b>{name}</b>} other {# of {total, number}}}"
  expect(placeholdersOf(message)).toEqual(["b", "count", "name", "total"])
})
