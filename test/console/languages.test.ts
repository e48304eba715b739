import { expect, test } from "bun:test"
import { matchLanguage } from "../../console/src/languages/languages.ts"

test.each([
  [["de-AT", "en"], "de"],
  [["fr-CA"], "fr"],
  [["es-419"], "es"],
  [["ja"], "ja"],
  [["pt-PT"], "pt"],
  [["pt-BR"], "pt"],
  [["zh"], "zh-Hans"],
  [["zh-CN"], "zh-Hans"],
  [["zh-SG"], "zh-Hans"],
  [["zh-Hans-HK"], "zh-Hans"],
  [["zh-TW"], "en"],
  [["zh-Hant"], "en"],
  [["zh-HK", "fr"], "fr"],
  [["nl", "es-MX", "de"], "es"],
  [["en-GB", "de"], "en"],
  [["not a tag", "ja-JP"], "ja"],
  [["nl"], "en"],
  [[], "en"],
])("for a browser that prefers %p, the console selects the language %p", (wanted, tag) => {
  expect(matchLanguage(wanted).tag).toBe(tag)
})
