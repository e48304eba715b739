import { expect, test } from "bun:test"
import { newCodeText, readCodeText } from "../../src/keys/code-text.ts"

test("a credit code has eighty bits in unambiguous symbols", () => {
  const codes = Array.from({ length: 500 }, newCodeText)
  for (const code of codes) {
    expect(code).toMatch(/^TG(-[0-9A-HJKMNP-TV-Z]{4}){4}$/)
    expect(readCodeText(code)).toBe(code)
  }
  expect(new Set(codes).size).toBe(500)
  expect(new Set(codes.join("").replaceAll("-", "")).size).toBe(32)
})

test("a credit code is accepted in any typed form", () => {
  const code = "TG-0123-1AB0-TGXY-7890"
  for (const typed of [
    "tg-0123-1ab0-tgxy-7890",
    " TG 0123 1AB0 TGXY 7890\n",
    "TG01231AB0TGXY7890",
    "0123-1AB0-TGXY-7890",
    "TG-O123-IABO-TGXY-789o",
    "tg_0l23_lab0_tgxy_7890",
    "TG\u20130123\u20131AB0\u2013TGXY\u20137890",
  ]) {
    expect(readCodeText(typed)).toBe(code)
  }
  expect(readCodeText("TG1234567890ABCD")).toBe("TG-TG12-3456-7890-ABCD")
})

test("invalid credit codes are rejected", () => {
  for (const typed of [
    "",
    "TG-",
    "TG-1234",
    "TG-UUUU-UUUU-UUUU-UUUU",
    `${"1".repeat(17)}`,
    "ß".repeat(16),
  ]) {
    expect(readCodeText(typed)).toBeUndefined()
  }
})
