import { expect, it } from "vitest";
import { openH2NullServer } from "../../../../src/world/real/http2/null-server.ts";
import { H2Client } from "../../../support/h2-client.ts";

it("openH2NullServer() answers 200 and 503 in turn", async () => {
  const server = await openH2NullServer();
  const client = new H2Client(server.url);
  const statuses = (await client.many(250)).map(({ status }) => status);
  await client.transport.close();
  server.close();
  expect(statuses.filter((status) => status === 200)).toHaveLength(125);
  expect(statuses.filter((status) => status === 503)).toHaveLength(125);
});
