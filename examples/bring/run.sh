#!/bin/bash
# Llama-3 8B on 16 nodes, as Megatron-LM is started.
GPUS_PER_NODE=8
NODES=${NODES:-16}

DISTRIBUTED=(--nproc_per_node $GPUS_PER_NODE --nnodes $NODES --master_addr $(hostname))
MODEL=(
  --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --swiglu
  --num-attention-heads 32 --group-query-attention --num-query-groups 8
  --seq-length 8192 --max-position-embeddings 8192
  --untie-embeddings-and-output-weights --vocab-size 128256 --normalization RMSNorm
)
TRAINING="--micro-batch-size 1 --global-batch-size $((GPUS_PER_NODE * NODES * 2)) --bf16 \
  --use-distributed-optimizer --overlap-grad-reduce --lr 3e-4 --train-iters 100000"

torchrun ${DISTRIBUTED[@]} pretrain_gpt.py "${MODEL[@]}" $TRAINING \
  --tensor-model-parallel-size 2 --sequence-parallel --tensorboard-dir $LOGS 2>&1 | tee log.txt
