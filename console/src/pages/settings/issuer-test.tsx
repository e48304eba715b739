import { Button, Group, Loader, Modal, Stack, Text } from "@mantine/core"
import type { IssuerSettings } from "tollgate-contract/operations.ts"
import { api } from "../../api/client.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { useTestRun } from "../../ui/use-test-run.ts"
import { TestVerdict } from "./settings-test.tsx"
import { t } from "../../languages/text.ts"

interface IssuerTestProperties {
  readonly issuer: IssuerSettings | undefined
  readonly onClose: () => void
}

/** Tests an issuer in a dialog. */
export function IssuerTest({ issuer, onClose }: IssuerTestProperties) {
  return (
    <Modal
      opened={issuer !== undefined}
      onClose={onClose}
      title={t("Test {name}", { name: issuer?.name ?? "" })}
    >
      {issuer !== undefined && <Result id={issuer.id} onClose={onClose} />}
    </Modal>
  )
}

function Result({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const test = useTestRun(["issuer-test", id], () =>
    api("POST /settings/issuers/{id}/test", { path: { id } }),
  )
  return (
    <Stack gap="sm">
      {test.isFetching && (
        <Group gap="sm" role="status">
          <Loader size="sm" />
          <Text size="sm">{t("Reading the discovery document and the keys…")}</Text>
        </Group>
      )}
      {!test.isFetching && (
        <ErrorNotice error={test.error} title={t("The test could not be run")} />
      )}
      {!test.isFetching && test.data !== undefined && <TestVerdict result={test.data} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" loading={test.isFetching} onClick={() => void test.refetch()}>
          {t("Test again")}
        </Button>
        <Button onClick={onClose}>{t("Done")}</Button>
      </Group>
    </Stack>
  )
}
