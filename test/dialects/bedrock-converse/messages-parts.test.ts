import { describe, expect, test } from "bun:test"
import type { Part } from "../../../src/canon/message.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { assistant, call, contentOf, result, system, text, tool, user } from "./conversation.ts"
import { bodyOf, lossesOf, NOVA } from "./fixtures.ts"

describe("the Bedrock image, audio and file encoder", () => {
  test.each([
    ["image/png", "AAAA", "png"],
    ["image/jpeg", "AAAA", "jpeg"],
    ["image/jpg", "AAAA", "jpeg"],
    ["image/gif", "AAAA", "gif"],
    ["image/webp", "AAAA", "webp"],
    [undefined, "/9j/AAAA", "jpeg"],
  ])("encodes an image of type %s (%s) in the format %s", (mediaType, data, format) => {
    const source = { type: "base64" as const, data, ...(mediaType ? { mediaType } : {}) }
    expect(contentOf(user({ type: "image", source }))).toEqual([
      { image: { format, source: { bytes: data } } },
    ])
  })

  test("drops an image of an unsupported type or with a URL", () => {
    const bitmap: Part = {
      type: "image",
      source: { type: "base64", data: "AAAA", mediaType: "image/bmp" },
    }
    const remote: Part = { type: "image", source: { type: "url", url: "https://a.example/b.png" } }
    const elsewhere: Part = { type: "image", source: { type: "reference", id: "file-1" } }
    const lost = (part: Part) => lossesOf({ messages: [user(text("a"), part)] })
    expect(lost(bitmap)).toEqual(["image.data:dropped"])
    expect(lost(remote)).toEqual(["image.url:dropped"])
    expect(lost(elsewhere)).toEqual(["image:dropped"])
  })

  test("references images, videos and documents in Amazon S3 by URI", () => {
    const messages = user(
      text("a"),
      { type: "image", source: { type: "reference", id: "s3://bucket/a.jpg" } },
      { type: "file", source: { type: "reference", id: "s3://bucket/b.mp4" } },
      { type: "file", source: { type: "reference", id: "s3://bucket/c.pdf" } },
    )
    expect(contentOf(messages).slice(1)).toEqual([
      { image: { format: "jpeg", source: { s3Location: { uri: "s3://bucket/a.jpg" } } } },
      { video: { format: "mp4", source: { s3Location: { uri: "s3://bucket/b.mp4" } } } },
      {
        document: {
          format: "pdf",
          name: "document",
          source: { s3Location: { uri: "s3://bucket/c.pdf" } },
        },
      },
    ])
  })

  test.each([
    ["wav", undefined, "wav"],
    ["pcm16", undefined, "pcm"],
    [undefined, "audio/mpeg", "mp3"],
    [undefined, "audio/ogg; codecs=opus", "ogg"],
  ])(
    "encodes audio with the name %s and the type %s in the format %s",
    (format, mediaType, word) => {
      const source = { type: "base64" as const, data: "QQ==", ...(mediaType ? { mediaType } : {}) }
      const part: Part = { type: "audio", source, ...(format ? { format } : {}) }
      expect(contentOf(user(part))).toEqual([
        { audio: { format: word, source: { bytes: "QQ==" } } },
      ])
    },
  )

  test("drops audio of an unknown type", () => {
    const part: Part = { type: "audio", source: { type: "base64", data: "QQ==" } }
    expect(lossesOf({ messages: [user(text("a"), part)] })).toEqual(["audio:dropped"])
  })

  test.each([
    ["application/pdf", undefined, "pdf"],
    ["text/csv", undefined, "csv"],
    ["text/plain; charset=utf-8", undefined, "txt"],
    ["text/markdown", undefined, "md"],
    ["application/msword", undefined, "doc"],
    ["application/octet-stream", "Plan.XLSX", "xlsx"],
    [undefined, "page.htm", "html"],
  ])(
    "encodes a file with the type %s and the name %s as a document of the format %s",
    (mediaType, name, format) => {
      const source = { type: "base64" as const, data: "QQ==", ...(mediaType ? { mediaType } : {}) }
      const part: Part = { type: "file", source, ...(name ? { name } : {}) }
      expect(contentOf(user(text("a"), part))[1]).toMatchObject({ document: { format } })
    },
  )

  test("encodes an image file as an image", () => {
    const part: Part = {
      type: "file",
      name: "a.png",
      source: { type: "base64", data: "AAAA", mediaType: "image/png" },
    }
    expect(contentOf(user(part))).toEqual([{ image: { format: "png", source: { bytes: "AAAA" } } }])
  })

  test("drops a file of an unsupported type", () => {
    const part: Part = {
      type: "file",
      source: { type: "base64", data: "AAAA", mediaType: "application/zip" },
    }
    expect(lossesOf({ messages: [user(text("a"), part)] })).toEqual(["file.data:dropped"])
    const remote: Part = { type: "file", source: { type: "url", url: "https://a.example/b.pdf" } }
    expect(lossesOf({ messages: [user(text("a"), remote)] })).toEqual(["file.url:dropped"])
  })

  test("gives documents plain, unique names", () => {
    const named = (name: string): Part => ({
      type: "file",
      name,
      source: { type: "base64", data: "QQ==", mediaType: "application/pdf" },
    })
    const files = ["Q3: report_final.pdf", "a.pdf", "a.pdf", "žluť.pdf", "…", "…"].map(named)
    const content = contentOf(user(text("a"), ...files)) as { document: { name: string } }[]
    expect(content.slice(1).map(({ document }) => document.name)).toEqual([
      "Q3 report final",
      "a",
      "a (2)",
      "lu",
      "document",
      "document (2)",
    ])
  })

  test("adds the required text to a document", () => {
    const file: Part = {
      type: "file",
      source: { type: "base64", data: "QQ==", mediaType: "application/pdf" },
    }
    expect(contentOf(user(file)).at(-1)).toEqual({ text: "." })
    expect(lossesOf({ messages: [user(file)] })).toEqual(["messages:approximated"])
  })

  test("drops images in assistant messages", () => {
    const image: Part = { type: "image", source: { type: "base64", data: "iVBORw0K" } }
    const messages = [user(text("a")), assistant(image, text("b"))]
    expect(lossesOf({ messages })).toEqual(["assistant.image:approximated"])
    const shown = [...messages, user(text("c"))]
    expect(contentOf(...shown)).toMatchObject([{ image: { format: "png" } }, { text: "c" }])
  })
})

describe("Bedrock cache points", () => {
  const POINT = { cachePoint: { type: "default" } }
  const pdf: Part = {
    type: "file",
    source: { type: "base64", data: "QQ==", mediaType: "application/pdf" },
    cache: {},
  }
  const note: Part = {
    type: "file",
    source: { type: "base64", data: "QQ==", mediaType: "text/plain" },
    cache: {},
  }

  test("follow the marked part", () => {
    const messages = [
      system(text("Be brief", { cache: {} })),
      user(text("a", { cache: { ttl: "1h" } }), text("b")),
      assistant(call("1")),
      tool(result("1", "x", { cache: { ttl: "5m" } })),
      user(text("c")),
    ]
    const tools = [{ name: "look", cache: {} }]
    const body = bodyOf({ messages, tools })
    expect(body.system).toEqual([{ text: "Be brief" }, POINT])
    expect(body.messages).toEqual([
      {
        role: "user",
        content: [{ text: "a" }, { cachePoint: { type: "default", ttl: "1h" } }, { text: "b" }],
      },
      { role: "assistant", content: [{ toolUse: { toolUseId: "1", name: "look", input: {} } }] },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "1", content: [{ text: "x" }] } },
          POINT,
          { text: "c" },
        ],
      },
    ])
    expect(body.toolConfig).toMatchObject({ tools: [{ toolSpec: { name: "look" } }, POINT] })
    expect(lossesOf({ messages, tools })).toEqual([])
  })

  test("never come first or follow another cache point", () => {
    expect(contentOf(user(text("", { cache: {} }), text("a")))).toEqual([{ text: "a" }])
    expect(contentOf(user(text("a", { cache: {} }), text(" ", { cache: {} })))).toEqual([
      { text: "a" },
      POINT,
    ])
  })

  test("follow a PDF but precede other documents, as Bedrock requires", () => {
    const formats = (content: JsonObject[]) => content.map((block) => Object.keys(block)[0])
    expect(formats(contentOf(user(text("a"), pdf)))).toEqual(["text", "document", "cachePoint"])
    const messages = [user(text("a"), note)]
    expect(formats(contentOf(...messages))).toEqual(["text", "cachePoint", "document"])
    expect(lossesOf({ messages })).toEqual(["cache_control:approximated"])
    expect(formats(contentOf(user(text("a", { cache: {} }), note)))).toEqual([
      "text",
      "cachePoint",
      "document",
    ])
    const alone = [user(note, text("a"))]
    expect(formats(contentOf(...alone))).toEqual(["document", "text"])
    expect(lossesOf({ messages: alone })).toEqual(["cache_control:dropped"])
  })

  test("have a lifetime, and are sent only to models that support cache points", () => {
    const messages = [user(text("a", { cache: { ttl: "1h" } }))]
    const tools = [{ name: "look", cache: {} }]
    expect(lossesOf({ model: NOVA, messages })).toEqual(["cache_control:approximated"])
    expect(bodyOf({ model: NOVA, messages }).messages).toEqual([
      { role: "user", content: [{ text: "a" }, POINT] },
    ])
    expect(lossesOf({ model: NOVA, tools })).toEqual(["cache_control:dropped"])
    expect(lossesOf({ model: "qwen.qwen3-32b-v1:0", messages })).toEqual(["cache_control:dropped"])
    const forever = [user(text("a", { cache: { ttl: "24h" } }))]
    expect(lossesOf({ messages: forever })).toEqual(["cache_control:approximated"])
  })
})
