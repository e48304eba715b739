import { section, setting } from "../declare.ts"
import { minutes, oneOf, writeMinutes } from "../scalars.ts"
import { bucket, BUCKET_SECRET } from "./bucket.ts"

/** Whether an image edit requires a mask. */
const MASK_RULES = ["required", "optional"] as const

/** The rules for image edits: from the specification, or from the provider. */
const IMAGE_RULES = ["specification", "provider"] as const

/**
 * Settings for image edits and for stored images. Images are stored if a caller requests links and the vendor returns
 * no links.
 */
export const IMAGES = section("images", {
  /** Lifetime of a link in milliseconds. */
  linkLifetime: setting(minutes(1, 10_080), {
    name: "link_minutes",
    default: "60",
    documentation:
      "lifetime of a link to an image that Tollgate stores because the provider returns no link",
    console: {
      label: "Lifetime of image links, minutes",
      help: "How long a link to a generated image works, from 1 to 10080.",
      write: writeMinutes,
    },
  }),
  mask: setting(oneOf(MASK_RULES, "rule"), {
    implied: "required",
    documentation:
      "with `optional`, image edits without a mask, as many clients send them, are accepted for the models that support them: OpenAI's, Gemini's, xAI's, OpenRouter's and Together's; the others reject them",
    console: {
      label: "Masks of image edits",
      help: "Whether image edits need a mask. Some clients send no mask: choose optional for them.",
    },
  }),
  rules: setting(oneOf(IMAGE_RULES, "rules"), {
    implied: "specification",
    documentation:
      "with `provider`, image edits follow the model's own rules, as Open WebUI, n8n and OpenAI's clients expect. Up to 16 PNG, JPEG or WebP files of any shape and at most 50 MB are allowed, without a mask. `size` is that of the result, and images come as base64 unless `response_format` is set. Tollgate then checks no shape, mask or size; the provider rejects unsupported ones",
    console: {
      label: "Rules of image edits",
      help: "Whose rules image edits follow: the specification's (a square PNG, a mask, the size of the image), or the model's own, as many clients expect.",
    },
  }),
  /** The bucket for images; if absent, images are in the data folder. */
  bucket: setting(bucket, {
    name: "s3",
    secret: BUCKET_SECRET,
    documentation:
      "`{ bucket, endpoint, region, access_key_id, secret_access_key }`: a bucket for images that would otherwise be stored in the data folder",
  }),
})

export type ImageSettings = ReturnType<typeof IMAGES.build>
