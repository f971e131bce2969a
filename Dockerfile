# A small image of dw: one static binary, no shell, not root. The file system may
# be read-only; all state lies in /data.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /out/dw ./cmd/dw \
    && mkdir -m 0700 /out/data

# Certificates and time zones come with the base.
FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/dw /usr/local/bin/dw
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
WORKDIR /data
VOLUME ["/data"]
EXPOSE 8470
ENTRYPOINT ["/usr/local/bin/dw"]
CMD ["run", "-c", "/data/config.yaml"]
