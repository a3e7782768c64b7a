// An authorization server and, below /api, a resource that accepts its tokens.
// node oidc_app.mjs MODULE PORT
import { createServer } from "node:http";

const [, , module, port] = process.argv;
const { Provider } = await import(module);
const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const issuer = `http://127.0.0.1:${port}`;
const client = (client_id, method, grant_types) => ({
  client_id,
  client_secret: "s3cr3t-of-the-client/+",
  grant_types,
  redirect_uris: grant_types.includes("authorization_code") ? ["https://app.example/back"] : [],
  response_types: grant_types.includes("authorization_code") ? ["code"] : [],
  token_endpoint_auth_method: `client_secret_${method}`,
  scope: "openid offline_access items:read tools:read tools:write",
});

const provider = new Provider(issuer, {
  clients: [
    client("basic", "basic", ["client_credentials"]),
    client("post", "post", ["client_credentials"]),
    client("refresh", "basic", ["authorization_code", "refresh_token"]),
    client("exchange", "basic", [exchange]),
    // People sign in to a console of this machine, at any port.
    {
      ...client("console", "basic", ["authorization_code"]),
      application_type: "native",
      redirect_uris: ["http://127.0.0.1/sign-in/openid/back"],
      scope: "openid email",
    },
  ],
  claims: { openid: ["sub"], email: ["email", "email_verified"] },
  conformIdTokenClaims: false,
  features: {
    clientCredentials: { enabled: true },
    // The pages on which people sign in.
    devInteractions: { enabled: true },
    // A token for a resource is a JSON Web Token, which the resource checks itself.
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_, resource) => ({
        audience: resource,
        scope: "tools:read tools:write",
        accessTokenFormat: "jwt",
        accessTokenTTL: 60,
      }),
    },
  },
  findAccount: (_, accountId) => ({
    accountId,
    claims: async () => ({
      sub: accountId,
      email: accountId.replace("unverified-", ""),
      email_verified: !accountId.startsWith("unverified-"),
    }),
  }),
  rotateRefreshToken: true,
  scopes: ["openid", "email", "offline_access", "items:read", "tools:read", "tools:write"],
});

// Token exchange (RFC 8693) is not a part of the package: the server only lends its tokens to it.
provider.registerGrantType(
  exchange,
  async (context) => {
    const { subject_token, subject_token_type } = context.oidc.params;
    const known = subject_token_type === "urn:ietf:params:oauth:token-type:jwt";
    if (!known || !subject_token.startsWith("subject-")) {
      context.status = 400;
      context.body = { error: "invalid_request", error_description: `unknown ${subject_token}` };
      return;
    }
    const token = new provider.ClientCredentials({ client: context.oidc.client });
    context.body = {
      access_token: await token.save(),
      expires_in: token.expiration,
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
    };
  },
  ["subject_token", "subject_token_type"],
);

// A refresh token as it would be issued after a person has agreed.
async function refreshToken() {
  const grant = new provider.Grant({ accountId: "ann", clientId: "refresh" });
  grant.addOIDCScope("openid offline_access items:read");
  const token = new provider.RefreshToken({
    accountId: "ann",
    client: await provider.Client.find("refresh"),
    grantId: await grant.save(),
    gty: "authorization_code",
    scope: "openid offline_access items:read",
    authTime: Math.floor(Date.now() / 1000),
  });
  return token.save();
}

const find = async (token) =>
  (await provider.ClientCredentials.find(token)) ?? (await provider.AccessToken.find(token));

async function api(request, response) {
  const send = (status, body) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
  if (request.url === "/ready") return send(200, "ready");
  if (request.url === "/refresh-token") return send(200, await refreshToken());
  const [, value] = (request.headers.authorization ?? "").split(" ");
  const token = value && (await find(value));
  if (!token) return send(401, { message: "no such token" });
  // Every token is used up here on request, as if it were revoked.
  if (request.url.endsWith("limit=1")) await token.destroy();
  return send(200, { client: token.clientId, token: value });
}

const callback = provider.callback();
const server = createServer((request, response) =>
  /^\/(api|ready|refresh-token)/.test(request.url)
    ? api(request, response)
    : callback(request, response),
);
const listen = () => server.listen(Number(port), "127.0.0.1");
server.on("error", (error) => {
  if (error.code !== "EADDRINUSE") throw error;
  // An earlier server is about to end.
  setTimeout(listen, 100);
});
listen();
