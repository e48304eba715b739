import type { FormFile } from "../../canon/form-file.ts"
import type { FormFields } from "./form-fields.ts"
import { type Form, FormReader, type FormReading, type LongFile } from "./form-reader.ts"

/** A form that may be incomplete. */
export interface UploadInProgress {
  /** The fields that have arrived so far. */
  readonly fields: FormFields
  /**
   * A long file that is still arriving, on the assumption that no other part follows it; absent if the form is
   * complete.
   */
  readonly file?: FormFile
  /** Size of the complete body in bytes, as announced or as received. */
  readonly bytes: number
  /** Resolves with the complete form. Rejects with the same errors as `readForm`. */
  readonly completed: Promise<Form>
}

/**
 * Reads a form and stores its files in the spool. Reading stops at the first exceeded limit.
 * @throws GatewayError `unsupported_media_type`, `invalid_value`, `file_too_large`, `body_too_large`, `overloaded`.
 */
export async function readForm(request: Request, reading: FormReading): Promise<Form> {
  return await new FormReader(request, reading).read()
}

/**
 * Reads a form like `readForm`, but returns early when a long file of announced length begins.
 * @throws GatewayError as in `readForm`.
 */
export async function receiveUpload(
  request: Request,
  reading: FormReading,
): Promise<UploadInProgress> {
  const reader = new FormReader(request, reading)
  const completed = reader.read()
  // The error is reported where the form is awaited, possibly later.
  completed.catch(() => {})
  const received: LongFile | Form = await Promise.race([reader.longFile, completed])
  const { fields, bytes } = received
  return "file" in received
    ? { fields, file: received.file, bytes, completed }
    : { fields, bytes, completed }
}
