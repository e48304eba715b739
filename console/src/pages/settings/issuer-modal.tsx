import { Modal, Stack, Text, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import type { IssuerSettings } from "tollgate-contract/operations.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { useSession } from "../../session.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { FormButtons } from "../../ui/form-buttons.tsx"
import { PasswordField } from "../../ui/password-field.tsx"
import { Snippet } from "../../ui/snippet.tsx"
import { useSubmit } from "../../ui/use-submit.ts"
import { t } from "../../languages/text.ts"

interface IssuerModalProperties {
  /** The issuer to change; undefined to add one. */
  readonly issuer: IssuerSettings | undefined
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Adds or changes an OpenID Connect issuer. */
export function IssuerModal({ issuer, isOpen, onClose }: IssuerModalProperties) {
  const title =
    issuer === undefined ? t("Add an issuer") : t("Change {name}", { name: issuer.name })
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} closeOnClickOutside={false}>
      {isOpen && <IssuerForm issuer={issuer} onClose={onClose} />}
    </Modal>
  )
}

function IssuerForm({ issuer, onClose }: Omit<IssuerModalProperties, "isOpen">) {
  const form = useForm({
    initialValues: {
      id: issuer?.id ?? "",
      name: issuer?.name ?? "",
      issuer: issuer?.issuer ?? "",
      client_id: issuer?.client_id ?? "",
      client_secret: "",
    },
  })
  const { submit, isBusy, error } = useSubmit(form, async (values) => {
    const { id, name, issuer: address, client_id: client, client_secret: secret } = values
    const body = {
      ...(name.trim() !== "" && { name: name.trim() }),
      issuer: address.trim(),
      client_id: client.trim(),
      ...(secret.trim() !== "" && { client_secret: secret.trim() }),
    }
    await api("PUT /settings/issuers/{id}", { path: { id: id.trim() }, body })
    await refresh("/settings")
    onClose()
  })
  const { id } = form.getValues()
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack>
        <TextInput
          label={t("ID")}
          description={t(
            "Lowercase letters, digits and hyphens, such as company. It cannot be changed later.",
          )}
          required
          disabled={issuer !== undefined}
          {...form.getInputProps("id")}
        />
        <RedirectUri id={id.trim() || "ID"} />
        <TextInput
          label={t("Name")}
          description={t("Shown on the sign-in page.")}
          {...form.getInputProps("name")}
        />
        <TextInput
          label={t("Issuer")}
          description={t("The address of the issuer, such as https://accounts.google.com.")}
          required
          {...form.getInputProps("issuer")}
        />
        <TextInput label={t("Client ID")} required {...form.getInputProps("client_id")} />
        <PasswordField
          label={t("Client secret")}
          description={t(
            "Stored in encrypted form, and not shown again. Public clients have none.",
          )}
          placeholder={issuer?.has_client_secret ? t("set; type to replace it") : t("none")}
          autoComplete="off"
          {...form.getInputProps("client_secret")}
        />
        <ErrorNotice error={error} title={t("Could not save the issuer")} />
        <FormButtons action={t("Save")} isBusy={isBusy} error={error} onClose={onClose} />
      </Stack>
    </form>
  )
}

function RedirectUri({ id }: { readonly id: string }) {
  const { base_url: baseUrl } = useSession()
  return (
    <div>
      <Text size="sm" fw={500}>
        {t("Redirect URI")}
      </Text>
      <Snippet
        code={`${baseUrl}/admin/v1/auth/callback/${id}`}
        label={t("Copy the redirect URI")}
      />
    </div>
  )
}
