using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "everything", worker = .everything)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "everything")],
);

const everything :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "bundle/workerd.mjs")],
  compatibilityDate = "2026-01-01",
  durableObjectNamespaces = [(className = "Everything", uniqueKey = "everything")],
  durableObjectStorage = (inMemory = void),
  bindings = [(name = "EVERYTHING", durableObjectNamespace = "Everything")],
);
