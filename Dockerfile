# Mecano with its run-time packages, exactly as locked.
#
#   docker build -t mecano .
#   docker run --rm mecano                      # the demo
#   docker run --rm mecano mecano --help
#
# Not built yet by its authors: no container engine was at hand where it was written. The first
# pip line is the one `make demo` runs; the second differs from it only by a missing -e.

FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1

RUN useradd --create-home mecano
WORKDIR /app

# Packages first: this layer is rebuilt only when the lock changes.
COPY requirements/run.lock requirements/run.lock
RUN python -m pip install --require-hashes -r requirements/run.lock

COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m pip install --no-deps --no-build-isolation .

# The installed package is read-only for this user; compiled kernels are kept in its home.
USER mecano
WORKDIR /home/mecano
ENV NUMBA_CACHE_DIR=/home/mecano/.cache/numba

CMD ["mecano", "demo"]
